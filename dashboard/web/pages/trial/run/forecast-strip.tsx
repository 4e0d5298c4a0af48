import type { Forecast, Trial } from '../../../../api/trials/trial.ts';
import { percent } from '../../../../../domain/text/format.ts';
import { formatValue } from '../../../parts/numbers.ts';
import { UntrustedText } from '../../../parts/untrusted-text.tsx';

const WIDTH = 600;
const HEIGHT = 34;
const MIDDLE = 22;
const MARGIN = 24;

/** Forecast of the early-abort rule on the metric's axis: its interval, the value to beat and the measured value. */
export function ForecastStrip({ forecast, trial: { metric, value } }: { forecast: Forecast; trial: Trial }) {
  const { forecast: centre, low, high, toBeat, share, words } = forecast;
  const marks = [centre, low, high, toBeat, value].filter((mark) => mark !== null);
  const [least, most] = [Math.min(...marks), Math.max(...marks)];
  const at = (mark: number) => MARGIN + ((mark - least) / (most - least || 1)) * (WIDTH - 2 * MARGIN);
  return (
    <div className="forecast">
      <p>
        <UntrustedText text={words} line max={600} />
      </p>
      {marks.length > 1 ? (
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
          <path className="axis" d={`M0 ${MIDDLE}H${WIDTH}`} />
          {low === null || high === null ? null : (
            <path
              className="interval"
              d={`M${at(low)} ${MIDDLE}H${at(high)}M${at(low)} ${MIDDLE - 8}v16M${at(high)} ${MIDDLE - 8}v16`}
            />
          )}
          {toBeat === null ? null : <path className="to-beat" d={`M${at(toBeat)} 2V${HEIGHT}`} />}
          {centre === null ? null : <circle className="centre" cx={at(centre)} cy={MIDDLE} r="5" />}
          {value === null ? null : <path className="came" d={`M${at(value)} ${MIDDLE - 7}l6 7l-6 7l-6-7Z`} />}
        </svg>
      ) : null}
      <dl className="forecast-key">
        <Key
          sign="●"
          className="centre"
          word={`forecast of ${metric.name} at ${percent(share ?? 0)} of the budget`}
          show={centre !== null}
        >
          {formatValue(centre)} {low === null || high === null ? '' : `(${formatValue(low)} to ${formatValue(high)})`}
        </Key>
        <Key sign="┃" className="to-beat" word="value to beat" show={toBeat !== null}>
          {formatValue(toBeat)}
        </Key>
        <Key sign="◆" className="came" word="measured" show={value !== null}>
          {formatValue(value)}
        </Key>
      </dl>
    </div>
  );
}

interface KeyProps {
  sign: string;
  className: string;
  word: string;
  show: boolean;
  children: string | string[];
}

const Key = ({ sign, className, word, show, children }: KeyProps) =>
  show ? (
    <div>
      <dt>
        <span className={className} aria-hidden="true">
          {sign}
        </span>{' '}
        {word}
      </dt>
      <dd>{children}</dd>
    </div>
  ) : null;
