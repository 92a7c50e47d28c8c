oneshot run --model lmstudio/scripted --model ollama/scripted --base-url "lmstudio=$SERVER/v1" --base-url "ollama=$SERVER" --lock nightly \
    --dialect tool --tools tools.yaml --tool note --root vault --policy policy.yaml 'Which tasks are open?' 2>stderr
! grep -E 'warning|damaged|unknown' stderr
oneshot runs list
