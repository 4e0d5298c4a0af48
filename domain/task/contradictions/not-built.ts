import { type Problem, shown } from '../issue.ts';
import { NOT_BUILT, Search } from '../search.ts';
import type { Task } from '../task.ts';

/** Values of the search axes that exist in the schema but not in the program. */
export function notBuilt({ search }: Task): Problem[] {
  return Object.entries(NOT_BUILT).flatMap(([axis, missing]) => {
    const value = search[axis as keyof Search];
    if (typeof value !== 'string' || !missing.includes(value)) return [];
    const built = choicesOf(axis as keyof typeof NOT_BUILT).filter((choice) => !missing.includes(choice));
    return [
      {
        path: ['search', axis],
        expected: `one of ${built.join(', ')}`,
        came: shown(value),
        todo: 'choose one that is built',
        says: `${value} is not built yet; built: ${built.join(', ')}`,
      },
    ];
  });
}

function choicesOf(axis: keyof typeof NOT_BUILT): readonly string[] {
  const field: unknown = Search.shape[axis].unwrap();
  return typeof field === 'object' && field !== null && 'options' in field && Array.isArray(field.options)
    ? field.options.filter((option) => typeof option === 'string')
    : [];
}
