import { describeTransfer } from '../../domain/text/transfer.ts';
import type { FindProgress } from '../../infra/temporal/cli/cli-options.ts';

export type PartName = 'stack' | 'postgres' | 'temporal' | 'worker' | 'dashboard';

/** Event of the stack, for people and for machines. A `progress` event replaces the one before it. */
export type StackEvent =
  | { type: 'step' | 'ready' | 'warning'; part: PartName; text: string }
  | { type: 'progress'; part: 'temporal'; text: string };

export type OnEvent = (event: StackEvent) => void;

/** Describes a step of finding, downloading or building a Temporal server. */
export function describeFind(progress: FindProgress): StackEvent {
  const event = (type: 'step' | 'warning', text: string) => ({ type, part: 'temporal', text }) as const;
  const seconds = 'elapsedSeconds' in progress ? progress.elapsedSeconds : 0;
  switch (progress.step) {
    case 'download':
      return event('step', 'no `temporal` binary on this machine: downloading one');
    case 'fetching':
      return {
        type: 'progress',
        part: 'temporal',
        text: `downloading the server: ${describeTransfer({ bytes: progress.bytes, seconds })} ${elapsed(progress)}`,
      };
    case 'download-failed':
      return event('warning', `${progress.reason}; building it from its Go modules instead (about 4 minutes, once)`);
    case 'build-waiting':
      return {
        type: 'progress',
        part: 'temporal',
        text: `another process builds the server, waiting ${elapsed(progress)}`,
      };
    case 'downloading':
      return {
        type: 'progress',
        part: 'temporal',
        text: `downloading modules ${share(progress)} ${elapsed(progress)}`,
      };
    case 'compiling':
      return { type: 'progress', part: 'temporal', text: `compiling packages ${share(progress)} ${elapsed(progress)}` };
  }
}

function share({
  count,
  expected,
  elapsedSeconds,
}: {
  count: number;
  expected: number;
  elapsedSeconds: number;
}): string {
  const part = `${count} of about ${Math.max(count, expected)}`;
  return elapsedSeconds > 0 && count > 0 ? `${part}, ${(count / elapsedSeconds).toFixed(1)} a second,` : part;
}
const elapsed = ({ elapsedSeconds: s }: { elapsedSeconds: number }) =>
  `${Math.floor(s / 60)}:${String(s % 60).padStart(2, '0')}`;
