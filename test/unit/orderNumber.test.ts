import { bareOrderNumber } from '../../nodes/OutboundAiCalling/contacts/orderNumber';

describe('an order number for comparing', () => {
  it.each([
    ...['1001', '#1001', '# 1001', ' 1001 ', '１００１', '10\u200b01', 'Order 1001', 'order #1001'],
    ...[
      'Order No. 1001',
      'Order number: 1001',
      'ORDER ID 1001',
      'Order: #1001',
      'Order#1001',
      'ORDER # 1001',
    ],
    ...["'1001", '="1001"', '\u20181001\u2019', '\u200e"#1001"', "'1001.0", '"1001";', '«1001»'],
    ...['١٠٠١', '१००१', '๑๐๐๑', '១០០១', '1001.0', '1001.00', '№ 1001', '№1001'],
    ...['000001001', "'0001001", '#01001', '٠١٠٠١', '01001.0'],
  ])('is the same as 1001 when it is written as %p', (written) => {
    expect(bareOrderNumber(written)).toBe('1001');
  });

  it.each([
    ['A–17\u00a0b', 'a-17 b'],
    ['Order', 'order'],
    ['order ', 'order'],
    ['#', '#'],
    ["'", "'"],
    ["O'Neil", "o'neil"],
    ['=1001', '=1001'],
    ['Orders 17', 'orders 17'],
    ['Order#', '#'],
    ['Order #', '#'],
    ['Order17', 'order17'],
    ['Border 17', 'border 17'],
    ['10 01', '10 01'],
    ['1001.5', '1001.5'],
    ['A1.0', 'a1.0'],
    ['A-0017', 'a-0017'],
    ['1.000', '1.000'],
    ['000', '0'],
    ['0.5', '0.5'],
    ['No 1001', 'no 1001'],
    ['12²', '12²'],
    ['１２①', '12①'],
    ['SİP-I', 'sip-i'],
    ['straße ı', 'strasse i'],
  ])('of %p is %p', (written, bare) => {
    expect(bareOrderNumber(written)).toBe(bare);
  });
});
