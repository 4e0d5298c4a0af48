import { createFakeCompute } from '../../../../infra/compute/fake.ts';
import type { Compute, FollowEvent, RunEnd } from '../../../../infra/compute.ts';

const END: RunEnd = {
  reason: 'exit',
  exitCode: 0,
  signal: null,
  wallSeconds: 10,
  cpuSeconds: 10,
  maxRssMb: 0,
  outputBytes: 0,
  startedAt: new Date(0).toISOString(),
  endedAt: new Date(0).toISOString(),
  containment: 'process-group',
  sandboxed: false,
  treeGone: true,
};

/** Stands for the moment at which a line is read: however long the monitor takes to begin, it is not late. */
const JUST_NOW = new Date(0);

export interface ScriptedHost {
  compute: Compute;
  /** Prints lines, which are read as they come; `late`: they were printed before anybody read. */
  print(lines: readonly string[], options?: { late?: boolean }): void;
  end(how?: Partial<RunEnd>): void;
}

/** A host with one run, which prints and ends as the test says, or ends by a kill; `killed`: its end after a kill. */
export function scriptedHost(killed: Partial<RunEnd> = {}): ScriptedHost {
  const events: FollowEvent[] = [];
  let wake = (): void => undefined;
  let ended = END;
  let offset = 0;
  const emit = (event: FollowEvent): void => {
    events.push(event);
    wake();
  };
  const end = (how: Partial<RunEnd> = {}): void => {
    ended = { ...END, ...how };
    emit({ type: 'ended', end: ended });
  };
  return {
    end,
    print: (lines, { late = false } = {}) => {
      const chunk = Buffer.from(lines.map((line) => `${line}\n`).join(''));
      emit({ type: 'output', offset, chunk, since: late ? null : JUST_NOW });
      offset += chunk.length;
    },
    compute: {
      ...createFakeCompute({ host: 'fake' }),
      kill: async () => end({ reason: 'killed', exitCode: null, signal: 'SIGTERM', ...killed }),
      inspect: async () => ({ state: 'running' }),
      collect: async () => ({ end: ended, logTail: '', artefacts: [], missing: [], tooLarge: [], changed: [] }),
      follow: async function* (_run, _offset, signal) {
        signal.addEventListener('abort', () => wake(), { once: true });
        for (let next = 0; !signal.aborted;) {
          const event = events[next];
          if (event === undefined) await new Promise<void>((resolve) => (wake = resolve));
          else {
            next += 1;
            yield event.type === 'output' && event.since ? { ...event, since: new Date(Date.now()) } : event;
          }
        }
      },
    },
  };
}
