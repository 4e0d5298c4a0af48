import { renderSpec, type SupervisedRun } from './spec.ts';

/** Sizes in bytes that no end, and no reason, exceeds. */
const END_BYTES = 1024;
const REASON_BYTES = 192;

/**
 * Files of a control directory before its run begins. A file `stdout` means that the streams are separate. Files of
 * blanks are overwritten and renamed when the run ends, since it may leave no free block and no free inode.
 */
export function controlFiles(run: SupervisedRun): { name: string; text: string }[] {
  const streams = run.apart && !run.talk ? ['stdout', 'stderr'] : [];
  return [
    { name: 'spec', text: renderSpec(run) },
    { name: 'ended.tmp', text: ' '.repeat(END_BYTES) },
    { name: 'reason.spare', text: ' '.repeat(REASON_BYTES) },
    { name: 'begun', text: '  ' },
    ...streams.map((name) => ({ name, text: '' })),
  ];
}

/** The control files as entries of a stream to a host. */
export const controlEntries = (run: SupervisedRun): { path: string; content: Uint8Array; mode: number }[] =>
  controlFiles(run).map(({ name, text }) => ({ path: `ctl/${name}`, content: Buffer.from(text), mode: 0o600 }));
