import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { END_REASON } from '../../../domain/floor/floor.ts';
import { startNotedRestarts } from '../../../workers/floor/start-noted-restarts.ts';
import { noteRestarts } from '../../../workers/floor/note-restarts.ts';
import type { Bench } from '../../db/support.ts';

/** Arguments that a research was started with. */
export const ARGS = { task: '/toy', tempo: 0.5, budget: { trials: 9 }, proposer: 'llm' };
/** The arguments that the database does not have, with the window that was set last. */
export const APPLIED = { task: '/toy', tempo: 0.5, window: 3 };

/** The last run of a workflow. The run before it, if it has another id than `old`, was ended for the floor. */
export interface Run {
  args?: unknown;
  runId?: string;
  status?: string;
  memo?: object;
  /** The run did something. */
  isBegun?: boolean;
  isCancelled?: boolean;
  /** Default: the reason of a worker. */
  terminatedFor?: string;
  /** Names and arguments of signals, which the run has read. */
  signals?: readonly (readonly [name: string, ...args: unknown[]])[];
  /** Names of signals that the run has not read. */
  unread?: readonly string[];
  /** Phases that the run stored or was about to store. */
  phases?: readonly object[];
  /** The server still has the history. */
  hasHistory?: boolean;
}

export interface Started {
  type: string;
  workflowId: string;
  args: unknown[];
}

const payloads = (...values: unknown[]) => ({ payloads: values.map((one) => defaultPayloadConverter.toPayload(one)) });
const signal = (signalName: string, ...args: unknown[]) => ({
  workflowExecutionSignaledEventAttributes: { signalName, input: payloads(...args) },
});

/** The history of a run. */
export function eventsOf(run: Run) {
  const { args, isBegun = true, isCancelled = false, signals = [], unread = [], phases = [] } = run;
  const { runId = 'old', status, terminatedFor = END_REASON } = run;
  const input = { name: 'setWindow', args: payloads({ window: 3 }) };
  const read = [signal('note'), ...signals.map(([name, ...sent]) => signal(name, ...sent))];
  const taskStarted = read.length + 2;
  const events = [
    { workflowExecutionStartedEventAttributes: { input: payloads(args) } },
    ...read,
    { workflowTaskStartedEventAttributes: {} },
    ...(isBegun ? [{ workflowTaskCompletedEventAttributes: { startedEventId: taskStarted } }] : []),
    { workflowExecutionUpdateAcceptedEventAttributes: { acceptedRequest: { input } } },
    ...(isCancelled ? [{ workflowExecutionCancelRequestedEventAttributes: {} }] : []),
    ...phases.map((phase) => ({
      activityTaskScheduledEventAttributes: { activityType: { name: 'recordPhase' }, input: payloads(phase) },
    })),
    ...unread.map((name) => signal(name)),
    ...(status === 'TERMINATED' || runId !== 'old'
      ? [{ workflowExecutionTerminatedEventAttributes: { reason: terminatedFor } }]
      : []),
  ];
  return events.map((event, index) => ({ ...event, eventId: index + 1 }));
}

/** A server with these last runs, and the workflows that are started and cancelled there. */
export function server(runs: Record<string, Run>) {
  const started: Started[] = [];
  const cancelled: string[] = [];
  const getHandle = (id: string) => ({
    cancel: () => Promise.resolve(void cancelled.push(id)),
    describe: () => {
      const { runId = 'old', status = 'RUNNING', memo = {} } = runs[id] ?? {};
      const shown = { staticSummary: () => Promise.resolve('shown'), staticDetails: () => Promise.resolve(undefined) };
      return Promise.resolve({ runId, memo, status: { name: status }, ...shown });
    },
    fetchHistory: () =>
      runs[id]?.hasHistory === false
        ? Promise.reject(new WorkflowNotFoundError('no such run', id, 'old'))
        : Promise.resolve({ events: eventsOf(runs[id] ?? {}) }),
  });
  const start = (type: string, { workflowId, args }: Omit<Started, 'type'>) =>
    Promise.resolve(void started.push({ type, workflowId, args }));
  return { client: { workflow: { getHandle, start } } as unknown as Client, started, cancelled };
}

const isTrial = (id: string): boolean => /\/\d+$/.test(id);
const typeOf = (id: string): 'trial' | 'job' | 'research' => {
  if (isTrial(id)) return 'trial';
  return id.includes('/') ? 'job' : 'research';
};
const old = (workflowId: string) => ({
  type: typeOf(workflowId),
  workflowId,
  runId: 'old',
  memo: { task: 'toy', floor: 1, quiet: true, restartOf: 'older' },
});

/** The two steps of a worker that raises the floor, on the database of a test. */
export function floorOn(bench: Bench) {
  const warned: string[] = [];
  const warn = (line: string): void => void warned.push(line);
  return {
    warned,
    note: (client: Client, ids: string[], name: string | null = 'toy') =>
      noteRestarts({ client, store: bench.store, nameOf: () => Promise.resolve(name), warn }, ids.map(old)),
    begin: (client: Client) => startNotedRestarts({ client, store: bench.store, warn }),
    noted: async (id: string) =>
      (await bench.store.research.findRestarts()).find(({ workflowId }) => workflowId === id),
  };
}
