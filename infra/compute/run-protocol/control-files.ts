import { renderSpec, type SupervisedRun } from './spec.ts';

/** Longer than any end, and than any reason, that is written there. */
const END_BYTES = 1024;
const REASON_BYTES = 192;

/**
 * The files of a control directory before its run begins: by that of stdout it is told that its streams are apart. Blanks are for what is written when it ends: over them, then
 * renamed, since a run may have left no block and no inode of its disk.
 */
export const controlFiles = (run: SupervisedRun): { name: string; text: string }[] => [
  { name: 'spec', text: renderSpec(run) },
  { name: 'ended.tmp', text: ' '.repeat(END_BYTES) },
  { name: 'reason.spare', text: ' '.repeat(REASON_BYTES) },
  { name: 'begun', text: '  ' },
  ...(run.apart && !run.talk ? ['stdout', 'stderr'] : []).map((name) => ({ name, text: '' })),
];

/** The same as they come to a host. */
export const controlEntries = (run: SupervisedRun): { path: string; content: Uint8Array; mode: number }[] =>
  controlFiles(run).map(({ name, text }) => ({ path: `ctl/${name}`, content: Buffer.from(text), mode: 0o600 }));
