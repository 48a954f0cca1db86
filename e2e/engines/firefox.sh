#!/bin/sh
# Firefox as a person has it: when the process of a tab dies, the tab has crashed and the others live. Playwright's variables
# would have the whole browser end. FIREFOX is the program.
unset MOZ_CRASHREPORTER_SHUTDOWN
exec "$FIREFOX" "$@"
