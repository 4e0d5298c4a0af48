import type { Trial } from '../../../api/trials/trial.ts';
import { unitText } from '../../../../domain/text/format.ts';
import { formatValue } from '../../parts/numbers.ts';

type Changed = Pick<Trial, 'expectedDelta' | 'gotDelta' | 'metric' | 'status' | 'parentValue'>;

/** The expected and the measured change as bars on one axis with zero in its middle. */
export function ChangeBars({ trial, sd }: { trial: Changed; sd: number | null }) {
  const { expectedDelta, gotDelta, metric, status, parentValue } = trial;
  if (expectedDelta === null && gotDelta === null) return null;
  const reach = Math.max(Math.abs(expectedDelta ?? 0), Math.abs(gotDelta ?? 0)) || 1;
  const absent = status === null ? 'not measured yet' : 'no value';
  const rows = [
    { word: 'Expected', delta: expectedDelta, absent: 'not stated' },
    {
      word: 'Got',
      delta: gotDelta,
      absent: parentValue === null && status !== null ? 'its parent has no value' : absent,
    },
  ];
  return (
    <dl className="change-bars">
      {rows.map(({ word, delta, absent: reason }) => (
        <div key={word} className={word.toLowerCase()}>
          <dt>{word}</dt>
          <dd>
            <span className="track" aria-hidden="true">
              {delta === null ? null : <Bar delta={delta} reach={reach} better={isBetter(delta, metric)} />}
            </span>
            {delta === null ? (
              <span className="quiet">{reason}</span>
            ) : (
              <span>
                {formatValue(Math.abs(delta), sd)}
                {unitText(metric.unit)} <span className="quiet">{directionLabel(delta, metric)}</span>
              </span>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Bar({ delta, reach, better }: { delta: number; reach: number; better: boolean }) {
  const width = (Math.abs(delta) / reach) * 50;
  return (
    <span
      className="delta"
      data-better={better}
      style={{ left: `${delta < 0 ? 50 - width : 50}%`, width: `${width}%` }}
    />
  );
}

const isBetter = (delta: number, { direction }: Trial['metric']): boolean =>
  direction === 'minimize' ? delta < 0 : delta > 0;

function directionLabel(delta: number, metric: Trial['metric']): string {
  if (delta === 0) return 'no change';
  return isBetter(delta, metric) ? 'better' : 'worse';
}
