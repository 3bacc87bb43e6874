/* Growing arrays: the one way in which a list becomes longer.
 *
 *     struct edge *edge;             the elements; free() them
 *     size_t edges, edge_room;       how many there are, and for how many there is room
 *     *vector_next(list->edge, list->edges, list->edge_room) = (struct edge){...};
 *
 * Room doubles, so that adding n elements copies fewer than 2 n. When out of memory, these do not return (heap.h).
 * Arrays whose size is known, or chosen by a user, are not vectors: need() and malloc() make them. */
#ifndef SIM_BASE_VECTOR_H
#define SIM_BASE_VECTOR_H

#include <stddef.h>

/* Makes room for at least `count` elements of `size` bytes; new room is not zeroed. Returns the array. */
void *vector_grow(void *at, size_t *room, size_t count, size_t size);

static inline void *vector_room(void *at, size_t *room, size_t count, size_t size) {
  return count <= *room ? at : vector_grow(at, room, count, size);
}

/* A new last element, not zeroed. The arguments are evaluated several times. */
#define vector_next(at, count, room)                                                                                   \
  ((at) = vector_room((at), &(room), (size_t)(count) + 1, sizeof *(at)), &(at)[(count)++])

#endif
