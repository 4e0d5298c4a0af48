import type { Fleet, Gantt } from '../../../api/fleet.ts';
import { ExportMenu } from '../../parts/export/export-menu.tsx';
import { Figure } from '../../parts/figure.tsx';
import { fetchJson } from '../../data/fetch-json.ts';
import { useAddress } from '../../router.ts';
import { ganttPath } from './gantt-path.ts';
import { hoursOf } from './hours.ts';
import { fleetView } from './view.ts';
import { shareText } from './labels.ts';

/** Title of the page, with the fleet in four numbers. */
export function FleetTitle({ fleet }: { fleet: Fleet }) {
  const { busyHour, busyDay, pools } = fleet;
  const hours = hoursOf(useAddress().params.get('hours'));
  const sum = (amountOf: (pool: Fleet['pools'][number]) => number) =>
    pools.reduce((total, pool) => total + amountOf(pool), 0);
  return (
    <>
      <div className="title">
        <h1>Fleet</h1>
        <span className="title-end">
          <ExportMenu view={async () => fleetView(fleet, await fetchJson<Gantt>(ganttPath(hours, fleet.now)))} />
        </span>
      </div>
      <dl className="stats">
        <div className="stat">
          <dt>Slots busy now</dt>
          <dd>{`${sum(({ leased }) => leased)} of ${sum(({ total }) => total)}`}</dd>
        </div>
        <div className="stat">
          <dt>Busy in the last hour</dt>
          <dd>
            <Figure figure="fleet.busyHour" value={busyHour}>
              {shareText(busyHour)}
            </Figure>
          </dd>
        </div>
        <div className="stat">
          <dt>Busy in the last 24 hours</dt>
          <dd>
            <Figure figure="fleet.busyDay" value={busyDay}>
              {shareText(busyDay)}
            </Figure>
          </dd>
        </div>
        <div className="stat">
          <dt>Trials that wait for a slot</dt>
          <dd>{String(sum(({ waiting }) => waiting))}</dd>
        </div>
      </dl>
    </>
  );
}
