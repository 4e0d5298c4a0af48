import { useState } from 'react';
import { percent, unitText } from '../../../../domain/text/format.ts';
import type { Calibration } from '../../../api/research/calibration.ts';
import type { Research } from '../../../api/research.ts';
import { researchPath } from '../../data/fetch-json.ts';
import { useResource } from '../../data/use-resource.ts';
import { Empty } from '../../parts/empty.tsx';
import { formatInteger, formatSigned } from '../../parts/numbers.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';

/** Least time between two reads: each reads all trials. */
const SPACING_MS = 30_000;

/** Expected against measured changes of the proposers, collapsed at first: a closed panel reads nothing. */
export function CalibrationPanel({ research }: { research: Research }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details className="panel calibration" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h2>Expected changes</h2> <span className="quiet small">against measured ones</span>
      </summary>
      {isOpen ? <Proposers research={research} /> : null}
    </details>
  );
}

function Proposers({ research: { status, metric } }: { research: Research }) {
  const id = status.workflowId;
  const path = researchPath(id, 'calibration');
  const { data, error } = useResource<Calibration>(path, { research: id, spacingMs: SPACING_MS });
  if (data === undefined) return <Empty>{error ? error.message : 'Reading all proposals'}</Empty>;
  if (data.proposers.length === 0)
    return <p className="quiet small">No proposal with a score stated the change that it expected.</p>;
  const sd = status.baseline?.sd ?? null;
  return (
    <table className="table small">
      <thead>
        <tr>
          <th scope="col">Proposer</th>
          <th scope="col" className="number">
            Candidates
          </th>
          <th scope="col" className="number">
            Right direction
          </th>
          <th scope="col" className="number">
            Expected{unitText(metric.unit)}
          </th>
          <th scope="col" className="number">
            Measured
          </th>
        </tr>
      </thead>
      <tbody>
        {data.proposers.map(({ proposer, candidates, rightDirection, expected, actual }) => (
          <tr key={proposer}>
            <td>
              <UntrustedText text={proposer} line max={60} />
            </td>
            <td className="number">{formatInteger(candidates)}</td>
            <td className="number">{percent(rightDirection)}</td>
            <td className="number">{formatSigned(expected, sd)}</td>
            <td className="number">{formatSigned(actual, sd)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
