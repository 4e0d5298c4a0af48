import type { Fleet } from '../../../api/fleet.ts';
import { formatSeconds } from '../../../../domain/text/format.ts';
import { Figure } from '../../parts/figure.tsx';

/** Table of pools: busy slots, waiting trials, gaps between runs while a trial waited. */
export function Pools({ fleet: { pools } }: { fleet: Fleet }) {
  if (pools.length === 0) return <p className="quiet">No slots yet: a worker adds its slots when it starts.</p>;
  return (
    <table className="table">
      <caption className="unseen">Pools</caption>
      <thead>
        <tr>
          <th scope="col">Pool</th>
          <th scope="col" className="number">
            Busy
          </th>
          <th scope="col" className="number">
            Waiting
          </th>
          <th scope="col" className="number">
            Gap, median
          </th>
          <th scope="col" className="number">
            Gap, 95th percentile
          </th>
        </tr>
      </thead>
      <tbody>
        {pools.map(({ pool, total, leased, waiting, gapP50, gapP95 }) => (
          <tr key={pool}>
            <th scope="row">{pool}</th>
            <td className="number">
              <Figure figure="pool.leased" scopeId={pool} value={leased}>
                {String(leased)}
              </Figure>{' '}
              of{' '}
              <Figure figure="pool.total" scopeId={pool} value={total}>
                {String(total)}
              </Figure>
            </td>
            <td className="number">{waiting}</td>
            <td className="number">{formatSeconds(gapP50)}</td>
            <td className="number">{formatSeconds(gapP95)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
