import type { Ablation } from '../../../db/reads/explanation/read-ablations.ts';
import { plural } from '../../../domain/text/plural.ts';
import { gainText, meanText, openRuns } from '../../../view/explanation/ablation-texts.ts';
import { columns } from '../text/text.ts';

/** The tables of the ablations of a research, one for each claim. */
export const renderAblations = (ablations: readonly Ablation[]): string[] =>
  ablations.flatMap((ablation) => {
    const { claim, ofTrial, edits } = ablation;
    const rows = edits.map((edit) => [
      edit.isOriginal ? `${edit.edit} (without it: the unmodified version)` : edit.edit,
      meanText(edit.with, edit.runsWith),
      meanText(edit.without, edit.runsWithout),
      gainText(edit),
    ]);
    const open = openRuns(ablation);
    return [
      '',
      `claim ${claim}${ofTrial === null ? '' : ` of trial ${ofTrial}`} without each of its edits, with 95 % intervals`,
      ...columns([['edit', 'with (runs)', 'without (runs)', 'gain of the edit'], ...rows]),
      ...(open > 0 ? [`${plural(open, 'run')} still to come`] : []),
    ];
  });
