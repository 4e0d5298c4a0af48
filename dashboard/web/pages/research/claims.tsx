import type { Claim, Research } from '../../../api/research.ts';
import { unitText } from '../../../../domain/text/format.ts';
import { formatSigned } from '../../parts/numbers.ts';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { TrialLink } from '../../parts/trial-link.tsx';
import { TimeAgo, halfWidth, meanText, valueWhenClaimed } from '../../parts/value.tsx';

/** Table of the claims, the newest first. */
export function Claims({ research: { status, metric, claims } }: { research: Research }) {
  const id = status.workflowId;
  const better = metric.direction === 'minimize' ? -1 : 1;
  const steps = claims.map((claim, index) => {
    const first = claim.ofTrial === null ? null : (status.baseline?.value ?? null);
    const before = claims[index - 1]?.value ?? first;
    return { claim, gain: before === null ? null : better * (claim.value - before) };
  });
  return (
    <Panel title="Claims" note="with 95 % intervals; a replaced claim is as it was made, probably too good">
      {claims.length === 0 ? (
        <p className="quiet small">None yet. An idea is claimed once fresh runs confirm that it is better.</p>
      ) : (
        <div className="claims-list" tabIndex={0} role="region" aria-label="Claims, the newest first">
          <table className="table claims">
            <thead>
              <tr>
                <th scope="col">Trial</th>
                <th scope="col" className="number">
                  {metric.name}
                  {unitText(metric.unit)}
                </th>
                <th scope="col" className="number">
                  Gain
                </th>
                <th scope="col" className="number">
                  Runs
                </th>
                <th scope="col">Idea and reason</th>
                <th scope="col" className="number">
                  After
                </th>
                <th scope="col">When</th>
              </tr>
            </thead>
            <tbody>
              {steps.toReversed().map(({ claim, gain }) => (
                <Row key={claim.seq} id={id} claim={claim} gain={gain} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function Row({ id, claim, gain }: { id: string; claim: Claim; gain: number | null }) {
  const { ofTrial, sd, n, hypothesis, reason, ended, at } = claim;
  const then = valueWhenClaimed(claim, sd);
  return (
    <tr>
      <td>{ofTrial === null ? 'unmodified' : <TrialLink research={id} n={ofTrial} />}</td>
      <td className="number">
        {meanText(claim, sd)}
        {then === null ? null : <p className="quiet small">{then}</p>}
      </td>
      <td className="number">{gain === null ? '–' : formatSigned(gain, halfWidth(claim) || sd)}</td>
      <td className="number">{n}</td>
      <td className="idea-cell">
        {hypothesis === null ? null : (
          <p>
            <UntrustedText text={hypothesis} line max={300} />
          </p>
        )}
        <p className="quiet">
          <UntrustedText text={reason} line max={300} />
        </p>
      </td>
      <td className="number">{ended} trials</td>
      <td className="nowrap">
        <TimeAgo at={at} />
      </td>
    </tr>
  );
}
