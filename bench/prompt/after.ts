import { fileDiffs } from '../../db/reads/diff/file-diffs.ts';
import { unifiedDiff } from '../../db/reads/diff/unified-diff.ts';
import { applyEdits } from '../../domain/edit/apply-edits.ts';
import type { HistoryEntry, PromptInput } from '../../domain/prompt/prompt-input.ts';
import { createRandom } from '../../domain/statistics/random.ts';
import { turnKnobs } from '../../domain/search/proposer/turn-knobs.ts';
import { loadTask } from '../../tasks/load.ts';
import { mutableTexts } from '../../tasks/folder/mutable-texts.ts';
import { shownFiles } from '../../tasks/folder/shown-files.ts';

type Files = Record<string, string>;
interface Lead {
  n: number | null;
  value: number;
  files: Files;
}

const bytes = (files: Files): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(files).map(([path, text]) => [path, Buffer.from(text)]));

/** The prompt of a task after that many trials, which edit its knobs and have invented outcomes of every kind. */
export async function promptAfter(folder: string, trials: number): Promise<PromptInput> {
  const loaded = await loadTask(folder);
  const { task, prompt, workspace, mutablePaths } = loaded;
  const original = mutableTexts(workspace, mutablePaths).texts;
  let lead: Lead = { n: null, value: 2.74, files: original };
  const history: HistoryEntry[] = [];
  for (let n = 11; history.length < trials; n += 1) {
    const made = trialOf(n, { lead, knobs: task.knobs, paths: mutablePaths });
    history.push(made.entry);
    if (made.entry.verdict === 'keep') lead = { n, value: made.entry.value ?? 0, files: made.files };
  }
  const value = (entry: HistoryEntry): number => entry.mean?.value ?? entry.value ?? Infinity;
  return {
    task,
    prompt,
    files: lead.files,
    readOnly: shownFiles(workspace, loaded),
    parent: { trialN: lead.n, value: lead.value, n: 12 },
    incumbent: { value: lead.value, sd: 0.03, n: 12 },
    baseline: { value: 2.74, sd: 0.03, n: 6 },
    history: history.slice(-task.search.history),
    best: history.toSorted((a, b) => value(a) - value(b)).slice(0, 5),
    underWay: [{ n: 99, hypothesis: 'a wider hidden layer sees more of the word', diff: '' }],
    notes: ['try what is cheap first'],
    hardware: ['the only run on 2 cores, no GPU'],
  };
}

function trialOf(
  n: number,
  { lead, knobs, paths }: { lead: Lead; knobs: Parameters<typeof turnKnobs>[0]['knobs']; paths: string[] },
): { entry: HistoryEntry; files: Files } {
  const random = createRandom(n);
  const drawn = turnKnobs({ knobs, files: lead.files, seed: n });
  if (!drawn.ok) throw new Error(drawn.reason);
  const applied = applyEdits(lead.files, drawn.edits, paths);
  if (!applied.ok) throw new Error(applied.reason);
  const value = 0.8 + (lead.value - 0.8) * (1.05 - 0.2 * random.uniform());
  const entry: HistoryEntry = {
    n,
    candidateId: String(n),
    hypothesis: drawn.hypothesis,
    parent: { n: lead.n, value: lead.value },
    expectedDelta: -0.05,
    seconds: 3.4,
    cpuSeconds: 3.1,
    metrics: { excess: value - 0.721, seen: value + 0.01 },
    diff: unifiedDiff(fileDiffs(bytes(lead.files), bytes(applied.files))),
    curve: [1, 340, 680, 1020, 1360, 1700].map((step, i) => ({ step, value: value + 2 / (i + 1) })),
    ...outcomeOf(n, value, lead.value),
  };
  return { entry, files: applied.files };
}

/** An invented outcome: one trial in seven fails, one is aborted, one is a copy of an earlier trial. */
function outcomeOf(
  n: number,
  value: number,
  against: number,
): Pick<HistoryEntry, 'status' | 'failure' | 'value' | 'verdict' | 'reason'> & Partial<HistoryEntry> {
  const kind = n % 7;
  if (kind === 1)
    return {
      status: 'crashed',
      failure: { label: 'exit-code', message: 'exit code 1' },
      value: null,
      verdict: 'discard',
      reason: 'crashed (exit-code): exit code 1',
      log: 'model.mjs:41\nTypeError: weights is not iterable\n',
      curve: [],
    };
  if (kind === 3)
    return {
      status: 'aborted',
      failure: { label: 'cannot-win', message: 'stopped at 35 %' },
      value: null,
      verdict: 'none',
      reason:
        `aborted (cannot-win): stopped at 35 %, forecast ${value.toFixed(2)} ± 0.04 ` + `against ${against.toFixed(2)}`,
    };
  if (kind === 5)
    return {
      status: 'cached',
      failure: null,
      value: null,
      verdict: 'none',
      candidateId: String(n - 1),
      metrics: {},
      reason: 'cached: the same candidate',
      curve: [],
      seconds: null,
      cpuSeconds: null,
      copiedTrial: { n: n - 1, status: 'completed', failure: null, value },
    };
  const isKept = value < against - 0.04;
  return {
    status: 'completed',
    failure: null,
    value,
    verdict: isKept ? 'keep' : 'discard',
    ...(isKept ? { mean: { value: value + 0.02, n: 12 } } : {}),
    reason: `${(value - against).toFixed(3)} against the best confirmed, whose runs vary by 0.03`,
    notes: n % 2 === 0 ? 'most of the excess is after a full stop' : null,
  };
}
