import { sameValue, type Certificate } from '../../domain/trial/certificate.ts';
import { oneLine } from '../../domain/text/sanitize.ts';
import { formatValue, unitText } from '../../domain/text/format.ts';
import { columns } from './text/text.ts';

/** `perpetua best --certificate` for people. */
export function renderCertificate({ metric, value, ...of }: Certificate): string[] {
  const shown = (one: number): string => `${formatValue(one)}${unitText(metric.unit)}`;
  const again = sameValue(value.stored, value.again)
    ? 'the same, scored again now'
    : `${shown(value.again)}, scored again now: the evaluator does not give the same value twice`;
  return columns([
    ['best run of all', `${shown(value.stored)}  ${of.trialId} · one run, no claim by itself`],
    ['its artefacts', again],
    ['public seed', `${shown(value.public)} with seed ${of.publicSeed}, which anyone may use`],
    ['metric', `${oneLine(metric.name)}, ${metric.direction}`],
    ['candidate', of.candidateId],
    ...(of.repeatable
      ? []
      : [['repeat', 'only this installation can: the evaluator draws its questions by a secret of its own']]),
  ]);
}

/** `perpetua verify` for people, of a certificate that holds: what was repeated, and what is its maker's word. */
export function renderVerified({ metric, value, ...of }: Certificate, sameTask: boolean): string[] {
  const shown = (one: number): string => `${formatValue(one)}${unitText(metric.unit)}`;
  const { wallSeconds, cpuSeconds, peakMemoryMb, gpu } = of.runtime;
  const memory = peakMemoryMb === null ? [] : [`${formatValue(peakMemoryMb)} MB`];
  // Digits that formatting drops may be those that differ.
  const told = (one: number, when: string): string =>
    sameValue(one, value.public)
      ? `${shown(one)} ${when}`
      : `${one}${unitText(metric.unit)} ${when}; under the public one came ${value.public}${unitText(metric.unit)} now`;
  const measures = [`${formatValue(wallSeconds)} s`, `${formatValue(cpuSeconds)} CPU seconds`, ...memory];
  return [
    `The certificate of ${of.trialId} holds: the same evaluator gives the same artefacts the same ${oneLine(metric.name)}.`,
    ...columns([
      ['repeated now', `${shown(value.public)} with the public seed ${of.publicSeed}`],
      ...(sameTask
        ? []
        : [['task', `another version of it (${of.task.hash.slice(0, 12)}), with the same evaluator and metric`]]),
      ['not checked', told(value.stored, 'when its run ended, under the seed that stays hidden')],
      ['not checked', told(value.again, 'when the certificate was made, under that seed')],
      ['not checked', `the run's seed, its program in workspace/, and the time`],
      [
        'not checked',
        `the run's measures, which the evaluator was told: ${[...measures, ...(gpu === null ? [] : [oneLine(gpu)])].join(', ')}`,
      ],
    ]),
  ];
}
