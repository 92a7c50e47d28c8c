oneshot run --model lmstudio/scripted --model ollama/scripted --base-url "lmstudio=$SERVER/v1" --base-url "ollama=$SERVER" --lock nightly \
    --dialect tool --tools tools.yaml --tool note --root vault --policy policy.yaml --run-file run.jsonl 'Which tasks are open?'
mkdir -p state/oneshot/runs
mv run.jsonl state/oneshot/runs/
