import type { EvaluationSummary } from '../../domain/learning/evaluation/summarize-evaluation.ts';
import { formatValue, percent } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';

/** `within`: by `search.update.eval`. `apart`: by `perpetua policy eval`. */
export type EvaluationSource = 'within' | 'apart';

/** Held-out value of a version of a policy, over all ended samples of one source. */
export interface EvaluatedVersion extends Pick<EvaluationSummary, 'ended' | 'lost' | 'readable' | 'value'> {
  version: number;
  source: EvaluationSource;
}

const SOURCES: Record<EvaluationSource, string> = { within: 'search.update.eval', apart: 'policy eval' };

/** Describes a held-out value: `0.31 [0.26, 0.36] over 62 scored runs, 97 % of 64 answers readable (policy eval)`. */
export function describeEvaluated({ source, readable, value }: Omit<EvaluatedVersion, 'version'>): string {
  const { n, mean, sd, low, high } = value;
  const interval = low === null || high === null ? '' : ` [${formatValue(low, sd)}, ${formatValue(high, sd)}]`;
  const text = mean === null ? 'no value' : `${formatValue(mean, sd)}${interval} over ${plural(n, 'scored run')}`;
  const answers =
    readable.share === null ? '' : `, ${percent(readable.share)} of ${plural(readable.n, 'answer')} readable`;
  return `${text}${answers} (${SOURCES[source]})`;
}
