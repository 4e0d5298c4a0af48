import { sameValue, type Certificate } from '../../domain/certificate/certificate.ts';
import { largestShareThatDiffers } from '../../domain/statistics/binomial-interval.ts';
import { finePercent, formatDigits, formatValue, unitText } from '../../domain/text/format.ts';
import { plural } from '../../domain/text/plural.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import type { FurtherSeeds } from '../certificate/score-further-seeds.ts';
import type { Verified } from '../certificate/verify.ts';
import { columns } from './text/text.ts';

/** `perpetua best --certificate` for people. */
export function renderCertificate(certificate: Certificate): string[] {
  const { metric, value } = certificate;
  const shown = (score: number): string => `${formatValue(score)}${unitText(metric.unit)}`;
  const again = sameValue(value.stored, value.again)
    ? 'the same, scored again now'
    : `${shown(value.again)}, scored again now: the evaluator does not give the same value twice`;
  const rows = [
    ['best run of all', `${shown(value.stored)}  ${certificate.trialId} · one run, no claim by itself`],
    ['its artefacts', again],
    ['public seed', `${shown(value.public)} with seed ${certificate.publicSeed}, which anyone may use`],
    ['metric', `${oneLine(metric.name)}, ${metric.direction}`],
    ['candidate', certificate.candidateId],
  ];
  if (!certificate.repeatable)
    rows.push(['repeat', 'only this installation can: its secret draws the questions of the evaluator']);
  return columns(rows);
}

/** `perpetua verify` of a certificate that holds, for people: the repeated checks, then the unchecked claims. */
export function renderVerified({ certificate, sameTask, further }: Verified): string[] {
  const { metric, value, runtime } = certificate;
  const unit = unitText(metric.unit);
  const shown = (score: number): string => `${formatValue(score)}${unit}`;
  const { wallSeconds, cpuSeconds, peakMemoryMb, gpu } = runtime;
  const claimed = (score: number, when: string): string => {
    if (sameValue(score, value.public)) return `${shown(score)} ${when}`;
    // All digits: formatting could drop the digits that differ.
    return `${score}${unit} ${when}; with the public seed it is ${value.public}${unit} now`;
  };
  const measures = [`${formatValue(wallSeconds)} s`, `${formatValue(cpuSeconds)} CPU seconds`];
  if (peakMemoryMb !== null) measures.push(`${formatValue(peakMemoryMb)} MB`);
  if (gpu !== null) measures.push(oneLine(gpu));
  const rows = [['repeated now', `${shown(value.public)} with the public seed ${certificate.publicSeed}`]];
  rows.push(...furtherRows(certificate, further));
  if (!sameTask) {
    const hash = certificate.task.hash.slice(0, 12);
    rows.push(['task', `another version of it (${hash}), with the same evaluator and metric`]);
  }
  rows.push(
    ['not checked', claimed(value.stored, 'when its run ended, with the hidden seed')],
    ['not checked', claimed(value.again, 'when the certificate was made, with the hidden seed')],
    ['not checked', `the run's seed, its program in workspace/, and the time`],
    ['not checked', `the run's measures, which the evaluator received: ${measures.join(', ')}`],
  );
  return [headline(certificate, further), ...columns(rows)];
}

function headline({ trialId, metric }: Certificate, further: FurtherSeeds | null): string {
  const name = oneLine(metric.name);
  if (further?.isOutlier)
    return (
      `The certificate of ${trialId} repeats, but the ${name} of its public seed is an outlier: ` +
      'other seeds give a worse value.'
    );
  return `The certificate of ${trialId} holds: the same evaluator gives the same artefacts the same ${name}.`;
}

/** Rows about the values under further seeds, and about what a maker could still have tried. */
function furtherRows({ metric, publicSeed }: Certificate, further: FurtherSeeds | null): string[][] {
  if (further === null)
    return [['not checked', 'other seeds; the maker can try variants of the artefacts until one scores well']];
  const { root, values, mean, plusMinus, min, max, excess, allEqual, isOutlier } = further;
  const label = plural(values.length, 'further seed');
  if (allEqual) {
    const most = finePercent(largestShareThatDiffers(values.length));
    return [[label, `all give the same value: with 95 % confidence, fewer than ${most} of seeds give another`]];
  }
  const shown = (score: number): string => formatValue(score, further.sd);
  const interval = plusMinus === null ? '' : ` ± ${shown(plusMinus)} (95 %)`;
  const source = root === publicSeed ? 'derived from the public seed' : `derived from your seed ${root}`;
  const unit = unitText(metric.unit);
  const rows = [[label, `mean ${shown(mean)}${interval}${unit}, from ${shown(min)} to ${shown(max)}; ${source}`]];
  if (isOutlier) {
    const distance = excess === null ? 'better' : `${formatDigits(excess)} standard deviations better`;
    rows.push([
      'outlier',
      `the public value is ${distance} than this mean; chance gives that in 1 of 100: cite the mean`,
    ]);
  }
  if (root === publicSeed)
    rows.push([
      'not excluded',
      'artefacts whose variants were tried until this mean was good; --seed N with a number of your own excludes it',
    ]);
  return rows;
}
