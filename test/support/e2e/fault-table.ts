import type { KillPoint } from '../../../activities/deps.ts';

/** A fault, the adapter, and what runs there: trials by a proposer, or a person's command or server. */
type Fault = `${string}/${'local' | 'ssh'}/${'random' | 'llm' | 'policy' | 'agent' | 'command' | 'server'}`;

const OF_A_PLACEMENT = ['permit-offered', 'lease-taken', 'room-counted', 'run-begun'] as const;
const OF_AN_AGENT = ['run-launched', 'mid-run', 'run-ended', 'job-ended', 'proposal-stored'] as const;
const OF_AN_OUTCOME = ['run-ended', 'scored', 'verdict-stored'] as const;
const OF_A_SAMPLE = ['sample-requested', 'sample-drawn', 'proposal-stored'] as const;
const OF_AN_UPDATE = ['step-requested', 'step-done', 'update-stored', 'weights-dropped'] as const;
const OF_A_RUN = [...OF_A_PLACEMENT, 'run-launched', 'mid-run', ...OF_AN_OUTCOME] as const;

/**
 * For each fault, adapter and proposer: the points at which the fault occurs. Each row is a case of an end-to-end test,
 * which takes its points from here. `fault-table.test.ts` counts the points, and checks that a test runs each row.
 */
export const FAULTS = {
  'worker-dies/local/random': ['research-opened', 'admitted', 'handing-over', 'proposal-stored', ...OF_A_RUN],
  'worker-dies/local/llm': ['model-request-sent', 'answer-received', 'proposal-stored'],
  'worker-dies/local/policy': ['sample-requested', 'sample-drawn', ...OF_AN_UPDATE],
  'worker-dies-choosing/local/random': ['choice-written', 'choice-stored', 'scored', 'verdict-stored'],
  'worker-dies-running-again/local/policy': ['rerun-stored'],
  'worker-dies-evaluating/local/policy': [
    'research-opened',
    ...OF_A_SAMPLE,
    'run-launched',
    'mid-run',
    ...OF_AN_OUTCOME,
  ],
  'worker-dies-evaluating-within/local/policy': [
    'update-stored',
    'evaluation-admitted',
    'evaluation-drawn',
    'evaluation-stored',
  ],
  'worker-dies-running-evaluation/local/policy': ['mid-run'],
  'worker-dies-deciding/local/random': ['abort-decided'],
  'worker-dies-mending/local/random': ['workspace-missing'],
  'worker-dies-giving-up/local/random': ['abandoned'],
  'worker-dies-raising-the-floor/local/random': ['old-ended'],
  'worker-dies-sending/local/random': ['message-sent'],
  'worker-dies/local/command': ['lease-taken', 'run-launched', 'mid-run', 'run-ended', 'job-ended'],
  'worker-dies/local/server': ['run-launched', 'mid-run', 'run-ended', 'restart-due', 'job-ended'],
  'worker-dies/local/agent': ['proposal-opened', ...OF_AN_AGENT],
  'worker-dies-in-an-outage/local/agent': ['restart-due'],
  'worker-dies/ssh/random': OF_A_RUN,
  'worker-dies/ssh/command': ['mid-run', 'run-ended'],
  'worker-dies-blaming/ssh/random': ['shortage-found'],
  'worker-dies-stopping/ssh/random': ['abandoned', 'run-killed', 'run-removed'],
  'worker-dies-looking/ssh/random': ['orphan-killed', 'orphan-removed'],
  'connection-cut/ssh/random': OF_A_RUN,
  'sshd-dies/ssh/random': OF_A_RUN,
  'network-silent/ssh/random': OF_A_RUN,
  'host-down/ssh/random': [...OF_A_PLACEMENT, ...OF_AN_OUTCOME],
  'run-lost/ssh/random': ['run-launched', 'mid-run'],
  'host-lost/ssh/random': ['run-launched', 'mid-run'],
} as const satisfies Record<Fault, readonly KillPoint[]>;

type Row = (typeof FAULTS)[keyof typeof FAULTS][number];
/** The type check fails here if a kill point is in no row. */
export const EACH_POINT_IS_A_ROW: Exclude<KillPoint, Row> extends never ? true : Exclude<KillPoint, Row> = true;
