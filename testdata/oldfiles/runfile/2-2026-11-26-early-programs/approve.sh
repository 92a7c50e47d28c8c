#!/bin/sh
cat >/dev/null
echo '{"approved": true}'
