import type { Update } from '../../../api/learning.ts';
import { formatValue } from '../../../../domain/text/format.ts';
import type { NamedTrace } from './traces.ts';
import { metricOf } from './words.ts';

/** The curves as a table: a row for each update, the newest first. */
export function CurvesTable({ traces, updates }: { traces: readonly NamedTrace[]; updates: readonly Update[] }) {
  const newest = [...updates].sort((a, b) => b.k - a.k);
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Table of updates">
      <table className="table">
        <caption className="unseen">Numbers of the updates, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">Update</th>
            {traces.map(({ metric, name }) => (
              <th key={metric} scope="col" className="number">
                {name}
              </th>
            ))}
            <th scope="col">Gates that fired</th>
          </tr>
        </thead>
        <tbody>
          {newest.map((update) => (
            <tr key={update.k}>
              <th scope="row">{update.k}</th>
              {traces.map(({ metric }) => (
                <td key={metric} className="number">
                  {formatValue(metricOf(update, metric))}
                </td>
              ))}
              <td>{update.gates.map(({ words }) => words).join('; ') || '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
