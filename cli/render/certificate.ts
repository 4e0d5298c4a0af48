import { sameValue, type Certificate } from '../../domain/trial/certificate.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { formatValue, unitText } from '../../domain/text/format.ts';
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
export function renderVerified(certificate: Certificate, sameTask: boolean): string[] {
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
  return [
    `The certificate of ${certificate.trialId} holds: ` +
      `the same evaluator gives the same artefacts the same ${oneLine(metric.name)}.`,
    ...columns(rows),
  ];
}
