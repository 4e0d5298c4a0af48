import type { ResearchExplanation } from '../../../db/reads/explanation/read-explanation.ts';
import { candidatesText, chanceText, importanceText, topValuesText } from '../../../view/explanation/texts.ts';
import { columns } from '../text/text.ts';

/** The table of `perpetua explain`, the most important knob first. */
export function renderExplanation({ knobs, candidates, top, metric }: ResearchExplanation): string[] {
  const notes = candidatesText(candidates, top);
  if (knobs.length === 0) return ['the task has no knobs; explain reads values of knobs', ...notes];
  const sorted = knobs.toSorted((a, b) => (b.share ?? -1) - (a.share ?? -1));
  const rows = sorted.map((knob) => [
    knob.name,
    importanceText(knob),
    chanceText(knob),
    topValuesText(knob),
    String(knob.n),
    knob.file,
  ]);
  return [
    `importance of knobs for ${metric.name} (PED-ANOVA), with 95 % intervals`,
    ...columns([['knob', 'importance', 'by chance', 'values of the top', 'candidates', 'file'], ...rows]),
    ...notes,
  ];
}
