import { sameValue, type Certificate } from '../../domain/certificate.ts';
import { oneLine } from '../../domain/text/clean.ts';
import { formatValue, unitText } from '../../domain/text/format.ts';
import { columns } from './text/text.ts';

/** `perpetua best --certificate` for people. */
export function renderCertificate({ metric, value, ...of }: Certificate): string[] {
  const shown = (one: number): string => `${formatValue(one)}${unitText(metric.unit)}`;
  const again = sameValue(value.stored, value.again)
    ? 'the same, scored again now'
    : `${shown(value.again)}, scored again now: the evaluator does not give the same value twice`;
  return columns([
    ['best single run', `${shown(value.stored)}  ${of.trialId} · one run, no claim by itself`],
    ['its artefacts', again],
    ['public seed', `${shown(value.public)} with seed ${of.publicSeed}, which anyone may use`],
    ['metric', `${oneLine(metric.name)}, ${metric.direction}`],
    ['candidate', of.candidateId],
    ...(of.repeatable
      ? []
      : [['repeat', 'only this installation can: the evaluator draws its questions by a secret of its own']]),
  ]);
}
