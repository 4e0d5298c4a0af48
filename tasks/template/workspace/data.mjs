// The training points. Immutable: this file is not among the mutable files of task.yaml.
export function trainingPoints(seed) {
  let state = seed >>> 0 || 1;
  const uniform = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  return Array.from({ length: 60 }, () => {
    const x = 2 * uniform() - 1;
    const noise = uniform() + uniform() + uniform() - 1.5;
    return { x, y: Math.sin(3 * x) + 0.4 * Math.cos(7 * x) + 0.3 * noise };
  });
}
