/**
 * The SQL behind every number of the pages Research, Fleet and Spend, by the name in its `data-sql`: `$1` is the research.
 * Whoever doubts a number runs it; a test runs all of them.
 */
export const FIGURES = {
  'trials.ended': 'select count(*) from trials where research_id = $1 and status is not null',
  'trials.running': 'select count(*) from trials where research_id = $1 and status is null',
} as const satisfies Record<string, string>;

export type FigureName = keyof typeof FIGURES;
