import type { Researches as Data } from '../../api/researches.ts';
import { useResource } from '../data/use-resource.ts';
import { Empty } from '../parts/empty.tsx';
import { hrefOf } from '../router.ts';

/** Every research, what needs a person first. */
export function Researches() {
  const { data, error } = useResource<Data>('researches', { everyMs: 10_000 });
  if (!data) return <Empty>{error ? error.message : 'Reading the researches'}</Empty>;
  return (
    <ul>
      {data.researches.map(({ id }) => (
        <li key={id}>
          <a href={hrefOf(['r', id])}>{id}</a>
        </li>
      ))}
    </ul>
  );
}
