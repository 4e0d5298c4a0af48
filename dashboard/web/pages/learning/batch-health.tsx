import type { UpdateTrials } from '../../../api/learning.ts';
import { percent } from '../../../../domain/text/format.ts';
import { formatValue } from '../../parts/numbers.ts';
import { RewardBar } from './reward-bar.tsx';

interface Props {
  /** Undefined until it is read. */
  health: UpdateTrials | undefined;
  /** KL of the policy to version 0 in nats a token; null if the step did not measure it. */
  kl: number | null;
}

/** Shares of a batch, its distance from version 0, and the certainty of the policy at each place of the answers. */
export function BatchHealth({ health, kl }: Props) {
  if (!health?.shares) return null;
  const { fresh, legal, known, refused } = health.shares;
  return (
    <>
      <p className="small">
        Of its proposals {percent(fresh)} are new, {percent(known)} known and {percent(refused)} refused;{' '}
        {percent(legal)} are legal. KL to version 0:{' '}
        {kl === null
          ? 'not measured; the trainer computes it if klCoefficient is above 0'
          : `${formatValue(kl)} nats a token`}
        .
      </p>
      {health.places.length === 0 ? null : <PlacesTable places={health.places} />}
    </>
  );
}

/** Table of −log p by place. Near 0 the policy is certain of the token: it gives the same one each time. */
function PlacesTable({ places }: Pick<UpdateTrials, 'places'>) {
  const top = Math.max(...places.map(({ mean }) => mean ?? 0), 0);
  return (
    <>
      <h3>−log p by place of the answer</h3>
      <div className="scroll-x batch-table" tabIndex={0} role="region" aria-label="Table of the places">
        <table className="table">
          <caption className="unseen">−log p of the tokens by their place in the answer, in nats</caption>
          <thead>
            <tr>
              {['Token', 'Samples', 'Mean', 'Least', 'Most'].map((name) => (
                <th key={name} scope="col" className="number">
                  {name}
                </th>
              ))}
              <th scope="col">
                <span className="unseen">Mean as a bar</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {places.map(({ place, samples, mean, least, most }) => (
              <tr key={place}>
                <th scope="row" className="number">
                  {place}
                </th>
                <td className="number">{samples}</td>
                <td className="number">{formatValue(mean)}</td>
                <td className="number">{formatValue(least)}</td>
                <td className="number">{formatValue(most)}</td>
                <td className="reward">{mean === null ? null : <RewardBar reward={mean} most={top} />}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
