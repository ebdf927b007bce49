/** The search page, with all its fields filled through `text`. */
import type { SearchGroup } from '../../src/search/search-items.ts';
import { renderSearchPage } from '../../src/search/search-page.tsx';
import { makeFrame, type TextOf } from './hostile.ts';

export function searchPages(text: TextOf): Record<string, string> {
  const frame = makeFrame(text);
  const name = text('Tidewatch');
  const groups: SearchGroup[] = [
    {
      id: 'apps',
      label: 'Apps',
      items: [
        {
          address: '/users/ada/apps/com.example.tide',
          title: name,
          line: text('ada · com.example.tide'),
          end: 'Android',
          picture: { kind: 'icon', address: text('/builds/b1/icon?key=k'), name },
        },
      ],
    },
    {
      id: 'builds',
      label: 'Builds',
      items: [
        {
          address: '/users/ada/apps/com.example.tide/binaries/128',
          title: `${text('Tidewatch')} 2.4.0 (418)`,
          revision: 128,
          line: text('Fix the tide'),
          end: 'iOS',
          picture: { kind: 'icon', address: null, name },
        },
      ],
    },
    {
      id: 'owners',
      label: 'People and Projects',
      items: [
        {
          address: '/users/ada',
          title: text('ada'),
          line: text('Member of harbour'),
          end: '',
          picture: { kind: 'avatar', name: text('ada') },
        },
        {
          address: '/settings/keys',
          title: 'API keys',
          line: '',
          end: '',
          picture: { kind: 'glyph', glyph: 'key' },
        },
      ],
    },
  ];
  const query = { text: text('tide'), words: ['418'] };
  return {
    'search results': renderSearchPage({ frame, query, groups }),
    'search without results': renderSearchPage({ frame, query, groups: [] }),
    'search without a query': renderSearchPage({ frame, query: { text: '', words: [] }, groups }),
  };
}
