#!/bin/sh
# Reads the events of a run on stdin, and prints a line for each step. The exit code is 0 only if the run ended well.
calls=0
while IFS= read -r event; do
    case $event in
    '{"event":"on_chat_model_start"'*) echo 'The model is working.' ;;
    '{"event":"on_tool_start","data":"'*)
        step=${event#*'"data":"'}
        printf 'Call: %s\n' "${step%'"}'}"
        ;;
    '{"event":"on_tool_end"'*) calls=$((calls + 1)) ;;
    '{"event":"on_chain_end"'*)
        echo "Done after $calls calls."
        exit 0
        ;;
    '{"event":"error"'*)
        echo "Failed: $event" >&2
        exit 1
        ;;
    esac
done
echo 'The events ended early.' >&2
exit 1
