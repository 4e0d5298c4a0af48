import type { Fleet as Data } from '../../../api/fleet.ts';
import { useResource } from '../../data/use-resource.ts';
import { Command } from '../../parts/command.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Panel } from '../../parts/panel.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { GanttPanel } from './gantt-panel.tsx';
import { Hosts } from './hosts.tsx';
import { Pools } from './pools.tsx';
import { Slots } from './slots.tsx';
import { FleetTitle } from './title.tsx';

/** Page of hosts, pools and slots: their present state, and their runs in the last hours. */
export function Fleet() {
  const { data, error } = useResource<Data>('fleet', { everyMs: 10_000 });
  if (!data)
    return (
      <>
        <div className="title">
          <h1>Fleet</h1>
        </div>
        <Empty>{error ? error.message : 'Reading the fleet'}</Empty>
      </>
    );
  const alone = data.hosts.every(({ state }) => state === 'local');
  const troubled = data.hosts.filter(({ problem }) => problem !== null);
  return (
    <>
      <FleetTitle fleet={data} />
      {troubled.length === 0 ? null : (
        <ul className="troubles">
          {troubled.map(({ name, problem }) => (
            <li key={name}>
              <strong>{name}</strong> <UntrustedText text={problem ?? ''} line />
            </li>
          ))}
        </ul>
      )}
      <div className="grid">
        <Panel title="Now" className="span-8" note="what each slot runs">
          <Slots fleet={data} />
        </Panel>
        <Panel title="Pools" className="span-4 pools" note="gap: time that a slot was free while a trial waited">
          <Pools fleet={data} />
        </Panel>
        <GanttPanel now={data.now} known={data.slots.map(({ id }) => id)} />
        <Panel title="Hosts">
          {data.hosts.length === 0 ? null : <Hosts fleet={data} />}
          {alone ? <AddHost none={data.hosts.length === 0} /> : null}
        </Panel>
      </div>
    </>
  );
}

function AddHost({ none }: { none: boolean }) {
  return (
    <div className="stack add-host">
      <p className="quiet">
        No hosts but this machine{none ? ', which has no slots yet: the first worker adds them' : ''}. To add a host,
        write its name, address and pool into fleet.yaml, and apply that file:
      </p>
      <Command command="npx perpetua fleet apply" />
    </div>
  );
}
