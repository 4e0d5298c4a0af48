import type { UpdateTrials } from '../../../api/learning.ts';
import { formatValue } from '../../parts/numbers.ts';
import { plural } from '../../../../domain/text/plural.ts';
import { hrefOfTrialId } from '../../parts/trial-href.ts';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { facetLabel } from '../trials/labels.ts';
import { RewardBar } from './reward-bar.tsx';
import { versionName } from './labels.ts';

/** Table of the samples of a batch with their rewards. The samples of a group come from the same prompt. */
export function BatchTable({ batch, drawn, k }: Pick<UpdateTrials, 'batch' | 'drawn'> & { k: number }) {
  const most = Math.max(...batch.map(({ reward }) => Math.abs(reward ?? 0)), 0);
  if (batch.length === 0) return <p className="quiet">No sample has joined yet.</p>;
  return (
    <>
      <div className="scroll-x batch-table" tabIndex={0} role="region" aria-label="Table of the batch">
        <table className="table">
          <caption className="unseen">Trials of the batch</caption>
          <thead>
            <tr>
              <th scope="col">Trial</th>
              <th scope="col" className="number">
                Group
              </th>
              <th scope="col">Drawn by</th>
              <th scope="col">End</th>
              <th scope="col" className="number">
                Value
              </th>
              <th scope="col" className="number">
                Reward
              </th>
              <th scope="col">
                <span className="unseen">Reward as a bar</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {batch.map(({ trialId, n, group, version, status, value, reward, verdict, skipped }) => (
              <tr key={trialId}>
                <td className="whole">
                  <a href={hrefOfTrialId(trialId)}>#{n}</a>
                </td>
                <td className="number">{group}</td>
                <td>{version === 0 ? 'base model' : versionName(version)}</td>
                <td>
                  {status === null ? 'under way' : endLabel(status, verdict)}
                  {skipped === null ? null : (
                    <span className="quiet">
                      {' '}
                      · left out: <UntrustedText text={skipped} line max={300} />
                    </span>
                  )}
                </td>
                <td className="number">{formatValue(value)}</td>
                <td className="number">{formatValue(reward)}</td>
                <td className="reward">{reward === null ? null : <RewardBar reward={reward} most={most} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="small quiet">
        {versionName(k)} itself has drawn {plural(drawn, 'trial')}.
      </p>
    </>
  );
}

/** Status and verdict as one phrase. */
function endLabel(status: string, verdict: string | null): string {
  const end = facetLabel('status', status);
  return verdict === null || verdict === 'none' ? end : `${end}, ${facetLabel('verdict', verdict)}`;
}
