import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from '../../../config/paths.ts';

// A script, which is not compiled.
const script = (await import(pathToFileURL(join(packageRoot(), 'scripts/test-tools/busybox.mjs')).href)) as {
  whyNoBusybox: () => string | null;
};
const why = script.whyNoBusybox();

/** Reason why tests cannot run under busybox; undefined if they can. */
export const noBusybox = why === null ? undefined : `(${why})`;
