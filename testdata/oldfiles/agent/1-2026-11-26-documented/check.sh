chmod 600 agent.yaml
oneshot agents show ./agent.yaml
