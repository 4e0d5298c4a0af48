/** A reward as a bar, relative to `most`, the largest absolute reward of the list. A bar below zero is hollow. */
export function RewardBar({ reward, most }: { reward: number; most: number }) {
  const width = most === 0 ? 0 : (100 * Math.abs(reward)) / most;
  return <span className="reward-bar" data-sign={reward < 0 ? 'minus' : 'plus'} style={{ width: `${width}%` }} />;
}
