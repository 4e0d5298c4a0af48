import { createHash } from 'node:crypto';
import { readEdits, readKnownRuns } from '../../db/ablation/read-edits.ts';
import type { Db } from '../../db/connect.ts';
import type { ResearchView } from '../../db/reads/read-research.ts';
import { MOST_TRIALS, runsOfVariants } from '../../domain/ablation/plan.ts';
import { LARGEST_N, type AblateArgs, type AblateResult } from '../../domain/messages.ts';
import { formatSeconds } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import { shellWord } from '../../domain/text/shell-word.ts';
import { candidateContent, deletedIn } from '../../domain/trial/candidate.ts';
import { budgetUseOf } from '../../view/budget.ts';
import { raiseCommand } from '../../view/rows/raise-budget.ts';
import { withDb } from '../context.ts';
import { refused } from '../errors.ts';
import { printNote, type Io } from '../io.ts';
import { updateResearch } from '../steering/update-research.ts';

export interface AblationOptions {
  /** Number of the claim; true: the last one. */
  ablate: string | true;
  budgetTrials?: string;
  yes?: boolean;
}

/** Describes the cost of an ablation, asks, and requests its runs of the research. */
export async function requestAblation(
  io: Io,
  { research, options }: { research: ResearchView; options: AblationOptions },
): Promise<AblateResult> {
  const args = argsOf(options);
  const { lines, claim } = await withDb(io, (db) => describeCost(db, research, args));
  for (const line of lines) printNote(io, line);
  if (options.yes !== true) await confirm(io);
  return updateResearch<AblateResult>(io, {
    id: research.id,
    name: 'ablate',
    // The number that was shown, even if another claim was made meanwhile.
    args: { ...args, claim },
    onRepeat: 'See its events before you repeat the command: a repeated request is another ablation.',
    onEnded:
      `Expected ${research.id} to run, since its runs measure the edits. ` +
      `Start it again, then request the ablation: \`${reopenCommand(research)}\`.`,
  });
}

const NO_LIMIT = { spent: 0, limit: null };

/**
 * The command that starts an ended research again, so that it waits for requests even if its budget of trials or
 * proposals is spent. It raises the limits that are spent and stop ablations, too.
 */
export function reopenCommand(research: ResearchView): string {
  const { id, task } = research;
  const use = budgetUseOf(research);
  const trials = research.budget.counts.includes('ablation') ? use.trials : NO_LIMIT;
  const budget = { ...use, proposals: NO_LIMIT, trials };
  const raise = raiseCommand({ id, task: task.name, phase: 'stopped', budget });
  return `${raise ?? `npx perpetua start ${shellWord(task.name)} --id ${shellWord(id)}`} --when-spent wait`;
}

const argsOf = ({ ablate, budgetTrials }: AblationOptions): AblateArgs => ({
  ...(ablate === true ? {} : { claim: wholeNumber('--ablate', ablate, LARGEST_N) }),
  ...(budgetTrials === undefined ? {} : { trials: wholeNumber('--budget-trials', budgetTrials, MOST_TRIALS) }),
});

function wholeNumber(option: string, text: string, most: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > most)
    throw refused(`Expected ${option} to be a whole number from 1 to ${most}, got ${JSON.stringify(text)}.`);
  return value;
}

/** The edits of a claim, and the trials and seconds that their ablation takes, as lines. */
async function describeCost(
  db: Db,
  research: ResearchView,
  { claim: seq, trials: most }: AblateArgs,
): Promise<{ lines: string[]; claim: number }> {
  const { id, baselineCandidate } = research;
  const found = await readEdits(db, { research, seq });
  if (found === null) throw refused(seq === undefined ? `${id} has no claim yet.` : `${id} has no claim ${seq}.`);
  const { claim, variants, immutableHash, mutablePaths } = found;
  const planned = runsOfVariants(variants.length, { most });
  if ('refused' in planned) throw refused(`${planned.refused}.`);
  const ids = variants.map(({ files }) =>
    createHash('sha256')
      .update(candidateContent({ ...files }, immutableHash, deletedIn({ ...files }, mutablePaths)))
      .digest('hex'),
  );
  const { known, seconds } = await readKnownRuns(db, { id, claimed: claim.candidateId, candidateIds: ids });
  const trials = (variants.length + 1) * planned.runs;
  const time = seconds === null ? 'an unknown time' : `about ${formatSeconds(seconds * trials)}`;
  const noteOf = (candidateId = ''): string => {
    if (candidateId === baselineCandidate) return ' (without it: the unmodified version)';
    const n = known.get(candidateId);
    return n === undefined ? '' : ` (without it: the candidate of trial ${n})`;
  };
  return {
    claim: claim.seq,
    lines: [
      `Claim ${claim.seq} has ${plural(variants.length, 'edit')}:`,
      ...variants.map(({ edit }, index) => `  ${edit}${noteOf(ids[index])}`),
      `The ablation runs the claim, and the claim without each edit, ${planned.runs} times each: ` +
        `${plural(trials, 'trial')}, ${time} on slots.`,
    ],
  };
}

async function confirm(io: Io): Promise<void> {
  if (!io.ask) throw refused('Not a terminal. Pass --yes to confirm.');
  const typed = (await io.ask('Run it? Type yes to confirm: ')).trim();
  if (typed !== 'yes') throw refused(`Expected yes, got ${JSON.stringify(typed)}. Nothing was requested.`);
}
