import { describe, expect, it } from 'vitest';
import { adoptionByDay, installsByVersion, maxSeries } from '../../src/distributions/activity/adoption.ts';

const days = ['2026-11-20', '2026-11-21', '2026-11-22'];
const at = (day: string, hour = 12) => Date.parse(`${day}T00:00:00Z`) + hour * 3_600_000;
const install = (userId: string, revision: number, at: number) => ({
  ...{ userId, revision, at },
  ...{ versionName: `1.${revision}`, versionCode: '' },
});

describe('adoption', () => {
  it('counts each person for the version installed last', () => {
    const { series, revisions } = adoptionByDay(
      [
        install('jo', 1, at('2026-11-01')),
        install('mia', 1, at('2026-11-20', 0)),
        install('jo', 2, at('2026-11-21', 23.9)),
        install('ana', 2, at('2026-11-22', 0)),
      ],
      days,
      'Older',
    );
    expect(series).toEqual([
      { label: '1.2', values: [0, 1, 2] },
      { label: '1.1', values: [2, 1, 1] },
    ]);
    expect(revisions.sort()).toEqual([1, 2, 2]);
  });

  it('follows people who return to an earlier build', () => {
    const { series } = adoptionByDay(
      [
        install('jo', 1, at('2026-11-20')),
        install('jo', 2, at('2026-11-21')),
        install('jo', 1, at('2026-11-22')),
      ],
      days,
      'Older',
    );
    expect(series).toEqual([
      { label: '1.2', values: [0, 1, 0] },
      { label: '1.1', values: [1, 0, 1] },
    ]);
  });

  it('sums the oldest versions and omits those that nobody has', () => {
    const everyone = Array.from({ length: 8 }, (_, index) =>
      install(`person ${index}`, index + 1, at('2026-11-20')),
    );
    const moved = [install('person 7', 9, at('2026-11-19')), install('person 7', 9, at('2026-11-20', 11))];
    const { series } = adoptionByDay([...moved, ...everyone], days, 'Older');
    expect(series).toHaveLength(maxSeries);
    expect(series.map(({ label, values }) => `${label} ${values}`)).toEqual([
      ...['1.8 1,1,1', '1.7 1,1,1', '1.6 1,1,1', '1.5 1,1,1'],
      'Older 4,4,4',
    ]);
  });

  it('joins builds of the same version, at the place of the newest', () => {
    const same = { ...install('mia', 7, at('2026-11-20')), versionName: '1.1' };
    const { series } = adoptionByDay(
      [install('jo', 1, at('2026-11-20')), same, install('ana', 2, at('2026-11-20'))],
      days,
      'Older',
    );
    expect(series.map(({ label, values }) => `${label} ${values}`)).toEqual(['1.1 2,2,2', '1.2 1,1,1']);
  });

  it('is empty without installs, and ignores later ones', () => {
    expect(adoptionByDay([], days, 'Older')).toEqual({ series: [], revisions: [] });
    expect(adoptionByDay([install('jo', 1, at('2026-11-23'))], days, 'Older').series).toEqual([]);
  });
});

describe('installs by version', () => {
  it('sum the builds of a version by day', () => {
    const build = (day: string, revision: number, versionName: string, installs: number) => ({
      ...{ day, revision, versionName, installs },
      versionCode: '',
    });
    expect(
      installsByVersion(
        [
          build('2026-11-20', 1, '1.0', 3),
          build('2026-11-20', 2, '1.0', 4),
          build('2026-11-22', 3, '1.1', 5),
          build('2026-11-01', 4, '1.2', 9),
        ],
        days,
        'Older',
      ),
    ).toEqual([
      { label: '1.1', values: [0, 0, 5] },
      { label: '1.0', values: [7, 0, 0] },
    ]);
  });
});
