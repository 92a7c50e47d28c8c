# The state names an output by the digest of its path, which was another one.
path=$(pwd -P)/verdicts.jsonl
mv state/oneshot/batches/outputs/* "state/oneshot/batches/outputs/$(printf '%s:%s' ${#path} "$path" | sha256sum | cut -d ' ' -f 1)"
cp verdicts.jsonl before.jsonl
oneshot batch --base-url ollama=http://models.test --proxy "$SERVER" --model ollama/scripted --concurrency 1 --prompt 'Is the verdict of ${review} good or bad?' --schema verdict.schema.json -o verdicts.jsonl reviews.jsonl
head -n 1 verdicts.jsonl | cmp - before.jsonl
test "$(wc -l <verdicts.jsonl)" -eq 3
oneshot validate --as batch verdicts.jsonl
