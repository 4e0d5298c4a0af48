import type { Fleet, Host } from '../../../api/fleet.ts';
import { formatSeconds } from '../../../../domain/text/format.ts';
import { Figure } from '../../parts/figure.tsx';
import { UntrustedText } from '../../parts/untrusted-text.tsx';
import { HOST_STATE_LABELS, quarantineText } from './labels.ts';

/** Table of hosts: state, machine, pool, busy slots, last contact, failures. */
export function Hosts({ fleet: { hosts } }: { fleet: Fleet }) {
  return (
    <div className="scroll-x" tabIndex={0} role="region" aria-label="Table of hosts">
      <table className="table hosts stacking">
        <caption className="unseen">Hosts</caption>
        <thead>
          <tr>
            <th scope="col">Host</th>
            <th scope="col">State</th>
            <th scope="col">Machine</th>
            <th scope="col">Pool</th>
            <th scope="col" className="number">
              Busy
            </th>
            <th scope="col">Last seen</th>
            <th scope="col" className="number">
              Failures
            </th>
          </tr>
        </thead>
        <tbody>
          {hosts.map((host) => (
            <HostRow key={host.name} host={host} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function HostRow({ host }: { host: Host }) {
  const { name, pool, state, machine, labels, slots, running, seenSecondsAgo, failures, problem, note } = host;
  return (
    <tr data-problem={problem !== null}>
      <th scope="row">{name}</th>
      <td data-label="State">
        {quarantineText(host) ?? HOST_STATE_LABELS[state]}
        {problem === null ? null : (
          <p className="problem">
            <UntrustedText text={problem} line />
          </p>
        )}
        {note === null ? null : (
          <p className="quiet">
            <UntrustedText text={note} line />
          </p>
        )}
      </td>
      <td data-label="Machine">
        {machine === null ? '–' : <UntrustedText text={machine} line />}
        {labels.length === 0 ? null : <p className="quiet">{labels.join(', ')}</p>}
      </td>
      <td className="whole" data-label="Pool">
        {pool}
      </td>
      <td className="number" data-label="Busy">
        <span>
          <Figure figure="host.running" scopeId={name} value={running}>
            {String(running)}
          </Figure>{' '}
          of{' '}
          <Figure figure="host.slots" scopeId={name} value={slots}>
            {String(slots)}
          </Figure>
        </span>
      </td>
      <td data-label="Last seen">
        {seenSecondsAgo === null ? '–' : `${formatSeconds(Math.max(1, seenSecondsAgo)).replace(/\.\d+/, '')} ago`}
      </td>
      <td className="number" data-label="Failures">
        <Figure figure="host.failures" scopeId={name} value={failures}>
          {String(failures)}
        </Figure>
      </td>
    </tr>
  );
}
