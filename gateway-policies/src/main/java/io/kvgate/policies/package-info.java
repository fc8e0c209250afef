/** Load-balancing policies, one class each, behind one small interface. They open no sockets and read no clock of their own. */
@NullMarked
package io.kvgate.policies;

import org.jspecify.annotations.NullMarked;
