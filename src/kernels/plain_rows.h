// Tables and rows where a real is one number, a row one array, and a thread works on one row: OpenCL C and MSL.
// NsRow and NsIndices are pointers.
enum { NS_ROWS = 1, NS_LANE_STEP = 1 };

FN real ns_table(TABLE scalar* reals, offset at) { return reals[at]; }
FN index ns_index(NsIndices indices, offset at) { return indices[at]; }
FN offset ns_list_size(NsIndices indices, LAYOUT NsList* list, offset place) {
  return indices[list->length + place];
}
FN real ns_at(NsRow row, index i) { return row[i]; }
FN real ns_same(NsRow row, u32 i) { return row[i]; }
FN real ns_get(NsRow row, offset at) { return row[at]; }
FN void ns_put(NsRow row, offset at, real x) { row[at] = x; }
FN void ns_put_same(NsRow row, u32 i, real x) { row[i] = x; }
FN void ns_update(NsRow row, u32 flag, offset at, real x) { row[at] = x; }
FN ROW scalar* ns_scalar(NsRow row, offset at) { return row + at; }
FN NsRow ns_one(NsRow row, u32 r) { return row; }
FN u32 ns_any_beyond(LAYOUT NsLayout* m, NsIndices indices, NsRow row) { return 1; }
