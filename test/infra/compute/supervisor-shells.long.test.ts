import { underShell } from './supervisor/under-shell.ts';

// No line of the script depends on both its shell and its confinement, so that two shells for each confinement are enough.
underShell(['busybox', 'sh'], ['namespaces', 'group']);
underShell(['bash'], ['uid']);
