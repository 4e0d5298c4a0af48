import type { ExplainedKnob } from '../../../api/research/explanation.ts';
import { chanceText, importanceText, topValuesText } from '../../../../view/explanation/texts.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';

/** Table of the knobs, the most important first, with a bar for each importance. */
export function Importances({ knobs }: { knobs: readonly ExplainedKnob[] }) {
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Table of knobs">
      <table className="table">
        <caption className="unseen">Importance of each knob, the most important first</caption>
        <thead>
          <tr>
            <th scope="col">Knob</th>
            <th scope="col">Importance</th>
            <th scope="col" className="importance">
              <span className="unseen">Importance as a bar with its interval</span>
            </th>
            <th scope="col" className="number">
              By chance
            </th>
            <th scope="col">Values of the top</th>
            <th scope="col" className="number">
              Candidates
            </th>
            <th scope="col">File</th>
          </tr>
        </thead>
        <tbody>
          {knobs.map((knob) => (
            <tr key={knob.key}>
              <th scope="row">
                <UntrustedText text={knob.name} line />
              </th>
              <td className="one-line">{importanceText(knob)}</td>
              <td>
                <ImportanceBar share={knob.share} interval={knob.interval} />
              </td>
              <td className="number">{chanceText(knob)}</td>
              <td>
                <UntrustedText text={topValuesText(knob)} line />
              </td>
              <td className="number">{knob.n}</td>
              <td className="one-line">
                <UntrustedText text={knob.file} line />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

const percent = (share: number): string => `${share * 100}%`;

/** An importance as a bar, with its interval as a line. The cell before it has the numbers. */
function ImportanceBar({ share, interval }: Pick<ExplainedKnob, 'share' | 'interval'>) {
  if (share === null || interval === null) return null;
  const [low, high] = interval;
  return (
    <span className="importance-bar" aria-hidden="true">
      <span style={{ width: percent(share) }} />
      <i style={{ left: percent(low), width: percent(high - low) }} />
    </span>
  );
}
