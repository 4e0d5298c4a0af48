import { howMany } from '../../domain/how-many.ts';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { Board } from '../../activities/index.ts';
import type { Phase } from '../../domain/phase.ts';
import { activitiesOf } from './activities.ts';
import { activeSecondsOf, currentWindow, phaseOf, timeless, type State } from './state.ts';

const TASK = defineSearchAttributeKey('PerpetuaTask', SearchAttributeType.KEYWORD);
const PHASE = defineSearchAttributeKey('PerpetuaPhase', SearchAttributeType.KEYWORD);
const BEST = defineSearchAttributeKey('PerpetuaBest', SearchAttributeType.DOUBLE);
const TRIALS = defineSearchAttributeKey('PerpetuaTrials', SearchAttributeType.INT);

/** Shows where the research stands: details at every call (free), attributes and the database only on a change. */
export async function publish(state: State): Promise<void> {
  const { phase, reason } = phaseOf(state);
  setCurrentDetails(detailsOf(state, { phase, reason }));
  const best = state.board?.best.mean ?? null;
  const shown = JSON.stringify([phase, timeless(reason), best]);
  if (shown === state.published && !state.windowUnheard) return;
  const before = state.published;
  state.published = shown;
  state.windowUnheard = false;
  if (state.searchAttributes && attributesChanged(before, [phase, best]))
    upsertSearchAttributes([
      { key: TASK, value: state.taskName },
      { key: PHASE, value: phase },
      { key: TRIALS, value: state.ended },
      ...(best === null ? [] : [{ key: BEST, value: best }]),
    ]);
  await record(state, { phase, reason });
}

/** Writes phase, window and time under way to the database. */
export async function record(state: State, { phase, reason }: { phase: Phase; reason: string | null }): Promise<void> {
  await activitiesOf(state.input.tempo ?? 1).quick.recordPhase({
    researchId: state.id,
    phase,
    reason,
    window: currentWindow(state),
    activeSeconds: activeSecondsOf(state),
  });
}

function attributesChanged(before: string, [phase, best]: [Phase, number | null]): boolean {
  if (before === '') return true;
  const [oldPhase, , oldBest] = JSON.parse(before) as [Phase, string | null, number | null];
  return oldPhase !== phase || oldBest !== best;
}

const number = (value: number | null): string => (value === null ? '–' : String(Number(value.toPrecision(6))));

/** A small table in Markdown for the Web UI. */
function detailsOf(state: State, { phase, reason }: { phase: Phase; reason: string | null }): string {
  const rows: [string, string][] = [
    ['phase', reason ? `${phase}: ${cell(reason)}` : phase],
    ['best', estimateOf(state.board?.best)],
    ['baseline', estimateOf(state.board?.baseline)],
    ['window', `${state.inflight.size} of ${currentWindow(state)} under way`],
    ['trials', `${state.started} started, ${state.ended} ended`],
  ];
  const verdicts = (state.board?.verdicts ?? []).map(
    ({ n, verdict, value, hypothesis }) => `| #${n} | ${verdict} | ${number(value)} | ${cell(hypothesis)} |`,
  );
  return [
    `### ${state.taskName}`,
    '| | |\n|---|---|',
    ...rows.map(([name, value]) => `| ${name} | ${value} |`),
    ...(verdicts.length > 0 ? ['', '| trial | verdict | value | hypothesis |\n|---|---|---|---|', ...verdicts] : []),
    ...(state.alerts.length > 0 ? ['', ...state.alerts.map((alert) => `- ${cell(alert)}`)] : []),
  ].join('\n');
}

const estimateOf = (from: Board['best'] | undefined): string =>
  from && from.mean !== null ? `${number(from.mean)} (sd ${number(from.sd)}, ${howMany(from.n, 'run')})` : '–';

const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
