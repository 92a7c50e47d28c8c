# The state names an output by the digest of its path, which was another one.
path=$(pwd -P)/verdicts.jsonl
mv state/oneshot/batches/outputs/* "state/oneshot/batches/outputs/$(printf '%s:%s' ${#path} "$path" | sha256sum | cut -d ' ' -f 1)"
# Its plan was told in another form.
cp verdicts.jsonl before.jsonl
oneshot batch --model ollama/scripted --concurrency 1 --prompt 'Is the verdict of ${review} good or bad?' --schema verdict.schema.json -o verdicts.jsonl reviews.jsonl 2>stderr || test $? = 2
grep 'parameters, or by another version of oneshot$' stderr
cmp verdicts.jsonl before.jsonl
oneshot batch --retry failed --model ollama/scripted --prompt 'Is the verdict of ${review} good or bad?' --schema verdict.schema.json -o new.jsonl verdicts.jsonl reviews.jsonl
head -n 1 new.jsonl | cmp - before.jsonl
