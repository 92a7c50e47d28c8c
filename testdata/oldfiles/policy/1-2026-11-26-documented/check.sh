chmod 600 policy.yaml
oneshot tools call file_read --root . --policy policy.yaml --dry-run --args '{"filePaths": ["policy.yaml"]}' | grep '"verdict":"allow"'
