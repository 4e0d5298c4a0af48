import type { Board } from '../../activities/index.ts';
import type { Phase } from '../../domain/research/phase.ts';
import { plainMarkdown } from '../../domain/text/markdown.ts';
import { describePhase } from '../../view/phase.ts';
import { statusRows } from '../../view/rows.ts';
import { describeActive } from '../../view/spend.ts';
import type { StatusPart } from '../../view/status.ts';
import { describeSlots, describeWindow } from '../../view/trials.ts';
import { describeScore } from '../../view/trial/verdict.ts';
import { activeSecondsOf, currentWindow, type State } from './state.ts';

/** The part of the status that the workflow knows without an activity. */
type Known = StatusPart &
  Pick<Required<StatusPart>, 'task' | 'phase' | 'reason' | 'window' | 'slots' | 'activeSeconds'>;

/** Builds that part of the status. */
export function knownOf(state: State, phased: { phase: Phase; reason: string | null }): Known {
  const { taskName, board, window, inflight, ended } = state;
  return {
    task: taskName,
    ...phased,
    best: board && bestOf(board),
    baseline: board && baselineOf(board.baseline),
    trials: { ended, running: inflight.size },
    window: currentWindow(state),
    slots: { total: window.slots },
    activeSeconds: activeSecondsOf(state),
    ...(board ? { spend: board.spend, budget: board.budget } : {}),
    ...(board?.compute ? { compute: board.compute } : {}),
  };
}

function bestOf({ baseline, best: { candidateId, mean, trusted = true, basis } }: Board) {
  if (mean === null) return null;
  return {
    trialId: null,
    candidateId,
    unmodified: candidateId === baseline.candidateId,
    value: mean,
    trusted,
    basis: basis ?? null,
  };
}

const baselineOf = ({ mean, sd, n, trusted = true }: Board['baseline']) =>
  mean === null ? null : { value: mean, sd, n, trusted };

/** Temporal's current details: small tables in Markdown for the Web UI. */
export function renderDetails(known: Known, { board, alerts }: Pick<State, 'board' | 'alerts'>): string {
  const rows = [
    ['phase', describePhase(known)],
    ...statusRows(known),
    ['window', describeWindow(known.window)],
    ['slots', describeSlots(known.slots)],
    ['time', describeActive(known.activeSeconds)],
  ];
  const verdicts = (board?.verdicts ?? []).map(({ n, verdict, value, trusted = true, hypothesis }) => [
    `#${n}`,
    verdict,
    describeScore({ value, trusted }),
    hypothesis,
  ]);
  return [
    `### ${plainMarkdown(known.task)}`,
    ...table(['', ''], rows),
    ...(verdicts.length > 0 ? ['', ...table(['trial', 'verdict', 'value', 'hypothesis'], verdicts)] : []),
    ...(alerts.length > 0 ? ['', ...alerts.map((alert) => `- ${plainMarkdown(alert)}`)] : []),
  ].join('\n');
}

const table = (head: string[], rows: string[][]): string[] => [
  `| ${head.join(' | ')} |`,
  `|${head.map(() => '---|').join('')}`,
  ...rows.map((row) => `| ${row.map(plainMarkdown).join(' | ')} |`),
];
